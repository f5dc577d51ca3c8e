import type { ListTasksRequest, Task } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { InMemoryTaskStore } from '@a2a-js/sdk/server';
import { isObject } from '../../base/json';
import { HEADERS_FIELD } from './mcpCommand';

const MAX_TASKS = 200;
/** Milliseconds that a task is retained after its last change. */
const MAX_AGE = 3_600_000;
const HIDDEN = '[redacted]';

interface Kept {
  readonly task: Task;
  readonly at: number;
}

/**
 * The tasks of the gateway: the newest 200 of the last hour, because the SDK's own store grows without limit. Headers
 * of callers are not stored.
 */
export class BoundedTaskStore implements TaskStore {
  readonly #now: () => number;
  /** In the order of their last change. */
  readonly #tasks = new Map<string, Kept>();

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  async save(task: Task): Promise<void> {
    this.#tasks.delete(task.id);
    this.#tasks.set(task.id, { task: withoutHeaders(task), at: this.#now() });
    this.#forgetOld();
    for (const id of this.#tasks.keys()) {
      if (this.#tasks.size <= MAX_TASKS) break;
      this.#tasks.delete(id);
    }
  }

  async load(taskId: string): Promise<Task | undefined> {
    this.#forgetOld();
    const kept = this.#tasks.get(taskId);
    return kept && structuredClone(kept.task);
  }

  /** Filters and pages as the SDK does. */
  async list(params: ListTasksRequest, context: ServerCallContext): ReturnType<TaskStore['list']> {
    this.#forgetOld();
    const store = new InMemoryTaskStore();
    for (const { task } of this.#tasks.values()) await store.save(task, context);
    return store.list(params, context);
  }

  #forgetOld(): void {
    const oldest = this.#now() - MAX_AGE;
    for (const [id, { at }] of this.#tasks) {
      if (at >= oldest) break;
      this.#tasks.delete(id);
    }
  }
}

function withoutHeaders(task: Task): Task {
  const copy = structuredClone(task);
  for (const { parts } of copy.history) {
    for (const { content } of parts) {
      const headers = content?.$case === 'data' && isObject(content.value) ? content.value[HEADERS_FIELD] : undefined;
      if (content?.$case !== 'data' || !isObject(headers)) continue;
      content.value[HEADERS_FIELD] = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
    }
  }
  return copy;
}
