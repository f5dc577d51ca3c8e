import type { ListTasksRequest, Task } from '@a2a-js/sdk';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { Clock } from '../../base/clock';
import { isObject } from '../../base/json';
import { HEADERS_FIELD } from './mcpCommand';

const MAX_TASKS = 200;
/** A task is retained for so long after its last change. */
const MAX_AGE_MS = 3_600_000;
/** UTF-16 units of all retained tasks as JSON; the newest is always retained. */
const MAX_STORED = 32 * 1024 * 1024;
/** Messages of a task: the first, which began it, and the newest. */
const MAX_MESSAGES = 100;
const HIDDEN = '[redacted]';

interface StoredTask {
  readonly task: Task;
  readonly at: number;
  /** UTF-16 units as JSON. */
  readonly size: number;
}

/**
 * The tasks of the gateway: the newest 200 of the last hour, and no more than 32 MB, because the SDK's own store grows without limit.
 * Headers of callers are not stored.
 */
export class BoundedTaskStore implements TaskStore {
  /** In the order of their last change. */
  readonly #tasks = new Map<string, StoredTask>();

  #size = 0;

  constructor(private readonly clock: Clock) {}

  async save(task: Task): Promise<void> {
    const stored = withoutHeaders(withRecentMessages(task));
    const size = JSON.stringify(stored).length;
    this.#delete(task.id);
    this.#tasks.set(task.id, { task: stored, at: this.clock.elapsed(), size });
    this.#size += size;
    this.#removeOld();
    for (const id of this.#tasks.keys()) {
      if (this.#tasks.size <= MAX_TASKS && (this.#size <= MAX_STORED || this.#tasks.size === 1)) break;
      this.#delete(id);
    }
  }

  async load(taskId: string): Promise<Task | undefined> {
    this.#removeOld();
    const stored = this.#tasks.get(taskId);
    return stored && structuredClone(stored.task);
  }

  /** The task that a message began. */
  idOf(messageId: string): string | undefined {
    this.#removeOld();
    for (const { task } of this.#tasks.values()) if (task.history[0]?.messageId === messageId) return task.id;
    return undefined;
  }

  /** Filters and pages as the SDK does. */
  async list(params: ListTasksRequest, context: ServerCallContext): ReturnType<TaskStore['list']> {
    this.#removeOld();
    const store = new InMemoryTaskStore();
    for (const { task } of this.#tasks.values()) await store.save(task, context);
    return store.list(params, context);
  }

  #removeOld(): void {
    const oldest = this.clock.elapsed() - MAX_AGE_MS;
    for (const [id, { at }] of this.#tasks) {
      if (at >= oldest) break;
      this.#delete(id);
    }
  }

  #delete(id: string): void {
    this.#size -= this.#tasks.get(id)?.size ?? 0;
    this.#tasks.delete(id);
  }
}

function withRecentMessages(task: Task): Task {
  const [first, ...rest] = task.history;
  return rest.length < MAX_MESSAGES || !first ? task : { ...task, history: [first, ...rest.slice(1 - MAX_MESSAGES)] };
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
