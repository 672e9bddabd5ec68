import { type Answer, type OpenDoor, refusedAs } from "./door.ts";
import { Seat, type Session } from "./seat.ts";
import { short } from "./stage.ts";

export interface Posted {
  cursor: number;
}

interface Doc {
  content: string;
  version: number;
}

interface About {
  title: string;
  description: string;
}

interface Task {
  title: string;
  paths?: string[];
  depends_on?: string[];
}

/** A scripted team. Its verbs make the story readable; each does what the guide asks of an agent. */
export class Team extends Seat {
  /** Whoever wants to watch is told before anything is said. */
  creates(about: About, announce: (session: Session) => void): Promise<Session> {
    return this.#step(`creates "${about.title}" by ${this.door}`, async () => {
      const session = this.convenes(await this.call("create_session", { ...about, creator_team_name: this.name }));
      announce(session);
      return session;
    });
  }

  resumes({ ref }: Session, about: About): Promise<Session> {
    return this.#step(`resumes ${ref} by ${this.door}: "${about.title}"`, async () =>
      this.convenes(await this.call("resume_session", { session_id: ref, team_name: this.name, ...about })),
    );
  }

  /** Hears the feed from its beginning: who comes later has to know what was said. */
  async joins(session: Session): Promise<void> {
    await this.stage.pause(0.8);
    const args = { session_id: session.ref, team_name: this.name, replay_from: 0 };
    await this.#step(`joins by ${this.door}`, async () => this.enters(session, await this.call("join_session", args)));
  }

  async says(text: string): Promise<Posted> {
    return this.#posts("message", { content: text });
  }

  async reports(text: string): Promise<Posted> {
    return this.#posts("status", { content: text, kind: "status" });
  }

  async asks(teams: Team[], text: string): Promise<Posted> {
    const to = teams.map(({ handle }) => handle);
    return this.#posts(`question to ${to.join(" and ")}`, { content: text, kind: "question", to, expects_reply: true });
  }

  async answers(question: Posted, text: string): Promise<Posted> {
    return this.#posts(`answer to #${question.cursor}`, { content: text, kind: "answer", reply_to: question.cursor });
  }

  /** Waits for the reply to one message, whatever else is said. */
  async hearsAnswerTo({ cursor }: Posted): Promise<void> {
    await this.#step(`has the answer to #${cursor}`, async () => {
      const { messages } = await this.wait("wait_for_reply", { message_id: cursor });
      if (messages.length === 0) throw new Error("nobody has answered.");
    });
  }

  /** Said in the feed, and written where the next team will look for it. */
  async decides(text: string): Promise<void> {
    await this.#posts("decision", { content: text, kind: "decision" });
    await this.#appends("Decisions", `- ${text}`);
  }

  notes(text: string): Promise<void> {
    return this.#appends("Notes / Working", `\n${text}`);
  }

  /** A receipt in place of a "thanks": the others see it, and nobody is woken. */
  async acks(): Promise<void> {
    const through_cursor = this.session.lastCursor;
    await this.#step(`has read up to #${through_cursor}`, async () => {
      await this.hearsAll();
      await this.call("ack_messages", { through_cursor });
    });
  }

  /** How far the team has read when it begins to think about its next message. */
  get seen(): number {
    return this.ear?.cursor ?? 0;
  }

  /** Sends what was thought out at `seen`; refused because others have spoken since, it says what fits now. */
  async saysUnlessOthersSpoke(seen: number, text: string, rephrased: string, inReplyTo = {}): Promise<void> {
    try {
      await this.#posts("message", { content: text, expected_cursor: seen, ...inReplyTo });
    } catch (error) {
      const stale = refusedAs("stale_post", error);
      if (!stale) throw error;
      const { current_cursor, messages } = stale.details;
      const missed = messages.at(-1);
      this.#tells(`refused as stale_post, reads what it missed: ${short(missed.content.text ?? missed.event)}`);
      await this.saysUnlessOthersSpoke(current_cursor, rephrased, rephrased, { reply_to: missed.cursor });
    }
  }

  reads(): Promise<Doc> {
    return this.#step("reads the document", () => this.call("read_session_doc"));
  }

  edits(what: string, change: (content: string) => string): Promise<void> {
    return this.writes(what, this.call("read_session_doc"), change);
  }

  /** Changes the version that was read; refused because there is a newer one, it reads that and makes its change there. */
  async writes(what: string, read: Doc | Promise<Doc>, change: (content: string) => string): Promise<void> {
    try {
      await this.#step(`document, ${what}`, async () => {
        const { content, version } = await read;
        await this.stage.pause(0.8);
        await this.call("update_session_doc", { content: change(content), expected_version: version });
      });
    } catch (error) {
      const conflict = refusedAs("version_conflict", error);
      if (!conflict) throw error;
      const { current_version, updated_by } = conflict.details;
      this.#tells(
        `refused as version_conflict: ${updated_by} has written version ${current_version}, so it is read first`,
      );
      await this.edits(`${what}, merged`, change);
    }
  }

  /** What is to be done, as tasks that each team takes others of; each holds its paths while it is at work. */
  async divides(tasks: Task[]): Promise<void> {
    await this.#quickly(`divides the work into ${tasks.length} tasks`, () => this.call("add_tasks", { tasks }));
  }

  async claims(task: number): Promise<void> {
    await this.#quickly(`takes task ${task}`, () => this.call("claim_task", { task }));
  }

  /** Waits until one is free, whichever it is. */
  takesTheNext(): Promise<number> {
    return this.#quickly("takes the next task that is free", async () => {
      const { task } = await this.call("claim_task", { wait: 10 });
      if (task === null) throw new Error("there is no task.");
      return task;
    });
  }

  async finishes(task: number, result: string): Promise<void> {
    await this.#quickly(`task ${task} is done: ${short(result)}`, () =>
      this.call("update_task", { task, status: "done", result }),
    );
  }

  /** Says what it is about to change; where others are at it, it goes elsewhere. */
  async holds(paths: string[], instead: string[]): Promise<void> {
    try {
      await this.#quickly(`holds ${paths}`, () => this.call("claim_paths", { paths }));
    } catch (error) {
      const collision = refusedAs("already_claimed", error);
      if (!collision) throw error;
      this.#tells(`refused as already_claimed: ${short(collision.message)}`);
      await this.#quickly(`holds ${instead} instead`, () => this.call("claim_paths", { paths: instead }));
    }
  }

  /** Gives a part of the work away, to a session of its own; its conclusion comes back to this one. */
  spawns(about: About, open: OpenDoor): Promise<Team> {
    return this.#step(`spawns "${about.title}"`, async () => {
      const spawned = await this.call("spawn_session", { ...about });
      const there = new Team(this.stage, this.name, open);
      there.convenes(spawned);
      return there;
    });
  }

  async changesScope(about: About, reason: string): Promise<void> {
    await this.#turn(`new title, "${about.title}": ${short(reason)}`, reason, () =>
      this.call("update_session_metadata", { ...about, reason }),
    );
  }

  leaves(): Promise<void> {
    return this.#turn("leaves", "", () => this.standsUp());
  }

  async concludes(summary_section: string): Promise<void> {
    await this.#turn(`concludes: ${short(summary_section)}`, summary_section, async () => {
      await this.call("conclude_session", { summary_section });
      this.session.closed = true;
    });
  }

  /** The conclusion answers every wait; then the document is read once more. */
  async hearsTheEnd(): Promise<void> {
    await this.ear?.done;
    await this.reads();
  }

  #posts(what: string, message: { content: string; [argument: string]: Answer }): Promise<Posted> {
    return this.#turn(`${what}: ${short(message.content)}`, message.content, async () => {
      const posted = await this.call("post_message", message);
      this.session.lastCursor = posted.cursor;
      return posted;
    });
  }

  #appends(section: string, text: string): Promise<void> {
    return this.#turn(`document, ${section}: ${short(text.trim())}`, "", () =>
      this.call("append_to_session_doc", { section, text }),
    );
  }

  /** Nobody acts before it has heard the others, and a longer text takes longer. */
  #turn<T>(what: string, text: string, action: () => Promise<T>): Promise<T> {
    return this.#step(what, async () => {
      await this.hearsAll();
      await this.stage.pause(0.5 + Math.min(text.length, 320) / 270);
      return action();
    });
  }

  #quickly<T>(what: string, action: () => Promise<T>): Promise<T> {
    return this.#step(what, async () => {
      await this.stage.pause(0.4);
      return action();
    });
  }

  #step<T>(what: string, action: () => Promise<T>): Promise<T> {
    return this.stage.step(`${this.name} → ${what}`, action);
  }

  #tells(what: string) {
    this.stage.onStep(`${this.name} → ${what}`);
  }
}
