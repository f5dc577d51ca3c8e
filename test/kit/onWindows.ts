/** Runs a function with `process.platform` as on Windows; paths are still those of the current system. */
export async function onWindows<T>(run: () => Promise<T> | T): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { ...own, value: 'win32' });
  try {
    return await run();
  } finally {
    Object.defineProperty(process, 'platform', own);
  }
}
