/** An agent of the ACP Registry, as far as its entry could be read. All texts are untrusted. */
export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** SPDX identifier or "proprietary"; empty when the entry names none. */
  readonly license: string;
  readonly website?: string;
  readonly distribution: Distribution;
}

export interface Distribution {
  readonly npx?: PackageDistribution;
  readonly uvx?: PackageDistribution;
  /** By `<darwin|linux|windows>-<aarch64|x86_64>`. */
  readonly binary: Readonly<Record<string, BinaryDistribution>>;
}

/** A package that a runner downloads at the start. */
export interface PackageDistribution {
  /** Includes the version. */
  readonly spec: string;
  /** The program in the package, where its name differs from the package. */
  readonly cmd?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An archive (or a bare program) to download. */
export interface BinaryDistribution {
  readonly archive: string;
  /** Path of the program in the archive. */
  readonly cmd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Lower-case hex. */
  readonly sha256?: string;
}
