/** The other languages of clients and samples, and what the tests need for each. */
import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

interface Language {
  commands: readonly string[];
  /** Installed too; if one is missing, only its own tests are skipped. */
  wished?: readonly string[];
  /** Debian's packages with them. */
  packages: readonly string[];
  furtherFolders?: readonly string[];
}

export const languages = {
  php: {
    commands: ['php'],
    wished: ['phpunit', 'composer'],
    packages: ['php-cli', 'php-curl', 'phpunit', 'composer'],
  },
  python: { commands: ['python3'], packages: ['python3', 'python3-venv'] },
  java: { commands: ['javac', 'java', 'mvn'], packages: ['default-jdk-headless', 'maven'] },
  // Debian's Go is too old for our other builds, so the machine must provide it.
  go: { commands: ['go'], packages: [], furtherFolders: ['/usr/local/go/bin'] },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof languages;

/** The path of each of its commands, or undefined if one is missing. */
export function findLanguage(name: LanguageName): string[] | undefined {
  const { commands, furtherFolders }: Language = languages[name];
  const found = commands.map((command) => findExecutable([command], furtherFolders));
  return found.every((path) => path !== undefined) ? found : undefined;
}

export async function findOrInstallLanguage(name: LanguageName): Promise<string[] | undefined> {
  const { packages, wished = [] }: Language = languages[name];
  const found = findLanguage(name);
  const isComplete =
    found !== undefined && wished.every((command) => findExecutable([command]) !== undefined);
  if (isComplete || packages.length === 0 || !canInstallPackages()) return found;
  await installPackages([...packages]);
  return findLanguage(name);
}
