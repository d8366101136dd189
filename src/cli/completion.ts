/** `malipo completion`: prints a shell completion script, generated from the commands. */
import { Argument, type Command } from 'commander';
import { printReport } from './report';
import type { Io } from './session';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** A command and the words that may follow it: subcommands and options. */
interface Place {
  path: string;
  words: string[];
}

export function completionCommand(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('completion')
    .description('print a shell completion script; to load it: source <(malipo completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .option('--json', 'print JSON, for scripts')
    .action((shell: Shell, options: { json?: true }) => {
      const script = completionScript(program, shell);
      printReport(io, options.json === true, { text: script, json: { shell, script } });
      exit(0);
    });
}

function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, []);
  if (shell === 'fish') return fishScript(places);
  const script = bashScript(places);
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function placesOf(command: Command, names: string[]): Place[] {
  const options = command.options.map(({ long }) => long ?? '').filter((long) => long !== '');
  const children = command.commands.map((child) => child.name());
  return [
    { path: names.join(' '), words: [...children, ...options, '--help'] },
    ...command.commands.flatMap((child) => placesOf(child, [...names, child.name()])),
  ];
}

/** A word that is not a command, such as an id, does not change the current command. */
function bashScript(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => `    '${path}') echo '${words.join(' ')}' ;;`);
  return `_malipo_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_malipo() {
  local at="" word next
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    next="\${at:+$at }$word"
    if _malipo_words "$next" >/dev/null; then at="$next"; fi
  done
  COMPREPLY=($(compgen -W "$(_malipo_words "$at")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _malipo malipo
`;
}

function fishScript(places: readonly Place[]): string {
  return [
    'function __malipo_words',
    '  switch "$argv[1]"',
    ...places.map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`),
    "    case '*'\n      return 1",
    '  end',
    'end',
    'function __malipo',
    '  set -l at ""',
    '  for word in (commandline -opc)[2..-1]',
    '    set -l next (string trim "$at $word")',
    '    if __malipo_words "$next" >/dev/null; set at "$next"; end',
    '  end',
    '  __malipo_words "$at"',
    'end',
    "complete -c malipo -f -a '(__malipo)'",
    '',
  ].join('\n');
}
