import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take longest. By size, some would come last, and the end of the run would wait for one of them. */
const SLOW = [
  "api/tests/stopping",
  "db/tests/concurrency",
  "api/tests/access/matrix",
  "cli/tests/runner",
  "db/tests/agents-concurrency",
  "cli/tests/run",
  "e2e/hard-texts",
  "e2e/people",
  "e2e/list",
  "e2e/work",
  "api/tests/access/strangers",
  "e2e/speak",
  "db/tests/people-races",
  "e2e/access",
  "api/tests/main",
  "db/tests/task-races",
  "cli/tests/wait",
  "db/tests/question-races",
  "db/tests/family-races",
  "e2e/live",
  "e2e/list",
  "db/tests/cheap-refusals",
  "api/tests/postgres/backup-elsewhere",
  "api/tests/postgres/backup",
  "cli/tests/backup",
  "api/tests/live/events-survival",
  "db/tests/rule-races",
  "api/tests/http/bodies",
  "api/tests/verbs/fuzz",
  "e2e/now",
  "api/tests/http/http-server",
  "e2e/tools",
  "cli/tests/mcp",
  "testing/tests/canary",
  "db/tests/removal-races",
  "api/tests/live/hot-session",
  "api/tests/http/demo",
  "cli/tests/doctor",
  "api/tests/postgres/embedded",
  "api/tests/verbs/hostile-documents",
  "e2e/threads",
  "cli/tests/bundle",
  "e2e/resume",
  "db/tests/section-cost",
  "mcp/tests/modern",
  "api/tests/live/events",
  "api/tests/postgres/unprivileged",
  "mcp/tests/mcp",
  "db/tests/model",
  "cli/tests/join",
  "e2e/feed",
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
