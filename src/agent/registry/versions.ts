/** Whether `candidate` is a later version than `current`, as semver orders them; other forms are compared part by part. */
export function isNewerVersion(candidate: string, current: string): boolean {
  return compareVersions(candidate, current) > 0;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  const byNumbers = compareParts(left.numbers, right.numbers, '0');
  if (byNumbers !== 0) return byNumbers;
  // 1.0.0-beta comes before 1.0.0.
  if (left.label.length === 0 || right.label.length === 0) return right.label.length - left.label.length;
  return compareParts(left.label, right.label, '');
}

function split(version: string): { numbers: string[]; label: string[] } {
  const [whole = ''] = version.replace(/^v/, '').split('+');
  const [numbers = '', ...label] = whole.split('-');
  return { numbers: numbers.split('.'), label: label.length === 0 ? [] : label.join('-').split('.') };
}

function compareParts(a: readonly string[], b: readonly string[], missing: string): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left, right] = [a[index] ?? missing, b[index] ?? missing];
    const order = left.localeCompare(right, 'en', { numeric: true });
    if (order !== 0) return order;
  }
  return 0;
}
