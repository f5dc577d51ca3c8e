/**
 * Merges all calls in one turn of the event loop into one, which runs after it: thousands of actions arrive at once.
 * @param owner no call runs after its end
 */
export function mergeCalls(owner: { readonly isDisposed: boolean }, run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!owner.isDisposed) run();
    });
  };
}
