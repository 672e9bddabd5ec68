import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take longest. By size, some would come last, and the end of the run would wait for one of them. */
const SLOW = [
  "db/tests/concurrency",
  "api/tests/stopping",
  "e2e/access",
  "db/tests/agents-concurrency",
  "api/tests/main",
  "db/tests/family-races",
  "e2e/hard-texts",
  "cli/tests/wait",
  "api/tests/postgres/embedded",
  "e2e/live",
  "api/tests/postgres/backup-elsewhere",
  "api/tests/postgres/backup",
  "cli/tests/backup",
  "api/tests/verbs/fuzz",
  "e2e/people",
  "db/tests/people-races",
  "e2e/feed",
  "db/tests/question-races",
  "api/tests/http/http-server",
  "api/tests/http/bodies",
  "api/tests/verbs/hostile-documents",
  "cli/tests/mcp",
  "e2e/tools",
  "api/tests/live/events-survival",
  "e2e/threads",
  "api/tests/live/hot-session",
  "db/tests/model",
  "mcp/tests/modern",
  "api/tests/live/events",
  "cli/tests/join",
  "mcp/tests/mcp",
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const found = SLOW.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? SLOW.length : found;
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
}
