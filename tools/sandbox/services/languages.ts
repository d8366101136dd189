/** The languages besides our own in which clients and samples are written, and what the tests need of each. */
import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

interface Language {
  commands: readonly string[];
  /** Installed with them; where one is missing, only its own tests are. */
  wished?: readonly string[];
  /** Debian's, which have them. */
  packages: readonly string[];
  furtherFolders?: readonly string[];
}

export const languages = {
  php: { commands: ['php'], wished: ['phpunit'], packages: ['php-cli', 'php-curl', 'phpunit'] },
  python: { commands: ['python3'], packages: ['python3', 'python3-venv'] },
  java: { commands: ['javac', 'java', 'mvn'], packages: ['default-jdk-headless', 'maven'] },
  // Debian's is too old for what is built with it elsewhere: it comes with the machine.
  go: { commands: ['go'], packages: [], furtherFolders: ['/usr/local/go/bin'] },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof languages;

/** Where each of its commands is, or undefined where one is missing. */
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
