// Read by grafast while it is imported, so this module must be imported before it: unset, it prints a lecture.
process.env.GRAPHILE_ENV ??= "production";
