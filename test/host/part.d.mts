export interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problem?: string;
  readonly failures?: readonly { readonly title: string; readonly message: string }[];
  readonly suites?: readonly { readonly title: string; readonly ms: number }[];
}

export function runPartProcess(
  args: readonly string[],
  options: { folder: string; limit: number; show?: boolean; env?: Readonly<Record<string, string>> },
): Promise<{ output: string; result: Result }>;
