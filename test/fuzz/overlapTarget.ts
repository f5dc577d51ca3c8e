import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { FileContent } from '../../src/review/storage/fileContent';
import type { Change } from './overlapWorld';
import { FOLDER, OverlapWorld } from './overlapWorld';
import type { Target } from './target';
import { anyInput } from './target';

const [A, B, NEW] = [`${FOLDER}/a`, `${FOLDER}/b`, `${FOLDER}/new`] as const;
const START = Array.from({ length: 12 }, (_, at) => `line${at}\n`).join('');

/** `writes` and `edits` of an agent in its turn: on disk by itself, or through Parley. */
interface AgentStep {
  readonly type: 'writes' | 'edits';
  readonly path: string;
}

interface PersonStep {
  /** `applies` code of the chat, which is the agent's; `external` is another program, before and after turns. */
  readonly type: 'saves' | 'external' | 'applies' | 'keep' | 'undo';
  readonly path: string;
}

/** Each turn runs beside the turns of the other session, and the person's steps. */
export interface Overlap {
  readonly turns: readonly (readonly (readonly AgentStep[])[])[];
  readonly person: readonly PersonStep[];
}

const path = fc.constantFrom(A, B);
const agentStep: fc.Arbitrary<AgentStep> = fc.record({
  type: fc.constantFrom('writes' as const, 'edits' as const),
  path: fc.constantFrom(A, B, NEW),
});
const turns = fc.array(fc.array(agentStep, { maxLength: 3 }), { maxLength: 2 });
const overlap: fc.Arbitrary<Overlap> = fc.record({
  turns: fc.tuple(turns, turns),
  person: fc.array(
    fc.record({
      type: fc.constantFrom(
        'saves' as const,
        'saves' as const,
        'external' as const,
        'applies' as const,
        'keep' as const,
        'undo' as const,
      ),
      path,
    }),
    { maxLength: 4 },
  ),
});

/** Every write adds a line: those of the person above, those of agents below, so that no two of them conflict. */
export class OverlapPlay {
  readonly #world: OverlapWorld;
  readonly #pause: () => Promise<unknown>;
  #count = 0;
  /** Turns that are started, or go on. */
  #active = 0;
  readonly #byPerson = new Map<string, string[]>();
  readonly #byAgent = new Map<string, string[]>();
  readonly #mayStay = new Set<string>();

  constructor(pause: () => Promise<unknown>) {
    this.#pause = pause;
    this.#world = new OverlapWorld(pause);
    for (const each of [A, B]) this.#world.files.put(each, file(START));
    this.#world.files.takeSnapshot();
  }

  async run({ turns: sessions, person }: Overlap): Promise<void> {
    await Promise.all([...sessions.map((each, at) => this.#session(`s${at}`, each)), this.#person(person)]);
    const { review, files } = this.#world;
    await this.#world.settle();
    const { problems } = await review.undoAll();
    assert.deepEqual(problems, []);
    for (const each of [A, B, NEW]) {
      const left = files.onDisk.get(each)?.bytes ?? '';
      for (const word of this.#byPerson.get(each) ?? []) assert.ok(left.includes(word), `${each} lost ${word}`);
      for (const word of this.#byAgent.get(each) ?? [])
        assert.ok(!left.includes(word) || this.#mayStay.has(word), `Undo left ${word} in ${each}`);
    }
  }

  dispose(): void {
    this.#world.dispose();
  }

  async #session(id: string, all: readonly (readonly AgentStep[])[]): Promise<void> {
    for (const steps of all) {
      await this.#pause();
      this.#active++;
      await this.#world.begin(id);
      for (const step of steps) {
        const change = this.#adds(step.path, this.#byAgent, 'line9\n', 'agent');
        if (step.type === 'writes') await this.#world.writes(step.path, change);
        else await this.#world.edits(id, step.path, change);
      }
      await this.#world.turns.end(id);
      this.#active--;
    }
  }

  async #person(steps: readonly PersonStep[]): Promise<void> {
    const { review } = this.#world;
    for (const step of steps) {
      await this.#pause();
      const typed = this.#adds(step.path, this.#byPerson, 'line1\n', 'person');
      switch (step.type) {
        case 'saves':
          await this.#world.saves(step.path, typed);
          break;
        case 'external':
          // Else it may be an agent's.
          if (this.#active === 0) this.#world.writesNow(step.path, typed);
          break;
        case 'applies':
          await this.#world.edits('s0', step.path, this.#adds(step.path, this.#byAgent, 'line9\n', 'applied'));
          break;
        case 'undo':
          await review.undoFile(step.path);
          break;
        case 'keep':
          await review.keepFile(step.path);
          for (const word of this.#byAgent.get(step.path) ?? []) this.#mayStay.add(word);
          break;
      }
    }
  }

  /** Adds a new word behind a line, and notes its author when it is written. */
  #adds(at: string, words: Map<string, string[]>, behind: string, who: string): Change {
    return (content: FileContent | undefined): FileContent => {
      const word = `<${who}${this.#count++}>`;
      words.set(at, [...(words.get(at) ?? []), word]);
      if (!content) return file(`${word}\n`);
      if (!content.bytes.includes(behind)) return file(`${content.bytes}${word}\n`);
      return file(content.bytes.replace(behind, `${behind}${word}\n`));
    };
  }
}

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });

/** Turns of two agents, and steps of the person, in flight at the same time: Undo All takes what the agents wrote, and nothing else. */
export class OverlapTarget implements Target {
  readonly name = 'review overlaps';

  property(): ReturnType<Target['property']> {
    return anyInput(
      fc.asyncProperty(fc.scheduler(), overlap, async (schedule, all) => {
        const play = new OverlapPlay(() => schedule.schedule(Promise.resolve()));
        try {
          await schedule.waitFor(play.run(all));
        } finally {
          play.dispose();
        }
      }),
    );
  }
}
