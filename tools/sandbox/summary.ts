/** The last lines of a start: what to open, the keys, one command to try, and what comes next. 80 columns wide. */
import { relative } from 'node:path';
import { styleText } from 'node:util';
import { cutText } from '../../src/domain/cut-text';
import type { DemoResult } from './demo';
import type { SandboxDescription } from './sandbox-description';
import type { SandboxFolder } from './sandbox-folder';

export interface Summary {
  title: string;
  /** Further lines beside those of every sandbox. */
  further: string[];
  /** How to run `malipo` for this sandbox, if not in the usual way. */
  commands?: string[];
  /** By default those of this terminal. */
  shell?: ShellCommands;
}

/** What a user types to reach the sandbox. */
export interface ShellCommands {
  /** Where the sandbox's own files are. */
  files(description: string, logs: string): string;
  /** Sets the first shop's keys, from the file at this path. */
  keys(path: string): string;
  /** How to make a shop. */
  shop(docs: string): string;
  listen: string;
  /** The last lines: what stops the sandbox. */
  stop: string[];
}

const columns = 80;

const inThisTerminal: ShellCommands = {
  files: (description, logs) => `${description}   logs: ${logs}`,
  keys: (path) => `source ${path}`,
  shop: () => 'npx malipo new-shop --lang node ../shop',
  listen: 'npx malipo listen --forward-to http://localhost:8000/hook',
  stop: [`Ctrl-C stops all of it. From another terminal: kill ${String(process.pid)}`],
};

const standardSummary = ({ temporal_ui_url: url }: SandboxDescription): Summary => ({
  title: 'Malipo is running (sandbox).',
  further: [
    `  Temporal UI  ${url}   a workflow for each payment`,
    '               what waits, is on hold, failed: queries in docs/temporal.md',
  ],
});

export function printSummary(
  description: SandboxDescription,
  folder: SandboxFolder,
  demo: DemoResult | undefined,
  summary: Partial<Summary> = {},
): void {
  const lines = summaryLines(description, folder, demo, { ...standardSummary(description), ...summary });
  process.stdout.write(`${lines.join('\n')}\n`);
}

function summaryLines(
  description: SandboxDescription,
  folder: Pick<SandboxFolder, 'env' | 'demo' | 'description' | 'log'>,
  demo: DemoResult | undefined,
  { title, further, commands = [], shell = inThisTerminal }: Summary,
): string[] {
  const { api_url: api, ops_url: ops, simulator_url: simulator, merchants, portal } = description;
  const inFolder = (path: string) => relative(process.cwd(), path);
  return [
    '',
    ...(demo === undefined ? [] : [...demoLines(demo, inFolder(folder.demo)), '']),
    styled('bold', title),
    '',
    `  API          ${api}`,
    ...(portal ? [`  Portal       ${portal.url}   ${portal.email}`] : []),
    ...(portal ? [`               password ${portal.password}`] : []),
    `  Docs         ${ops}/docs/`,
    `  Simulator    ${simulator}   the customers' phones and test numbers`,
    ...further,
    `  Other ports  ${shell.files(inFolder(folder.description), inFolder(folder.log('*')))}`,
    ...commands,
    '',
    `The keys of ${merchants[0]?.name ?? ''}, for curl, the clients and malipo. Ask a customer to pay:`,
    '',
    ...curl(shell.keys(inFolder(folder.env))).map((line) => `  ${line}`),
    '',
    'Next:',
    '',
    `  docs    ${ops}/docs/guides/first-payment.html`,
    `  shop    ${shell.shop(`${ops}/docs`)}`,
    `  listen  ${shell.listen}`,
    `  portal  ${portal ? `${portal.url} shows the payment` : 'only npm start has one'}`,
    '',
    ...shell.stop,
    '',
  ];
}

/** Colours are for terminals: a log file gets plain text. */
function styled(style: 'bold' | 'green' | 'red', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

function curl(keys: string): string[] {
  return [
    keys,
    `curl -sS "$MALIPO_URL/api/v1/stk_push" -H 'Content-Type: application/json' \\`,
    `  -H "X-API-Key: $MALIPO_API_KEY" -H "X-API-Secret: $MALIPO_API_SECRET" \\`,
    `  -H "Idempotency-Key: order-$RANDOM$RANDOM-1" \\`,
    `  -d '{"phone_number":"254708374149","amount":10,`,
    `       "account_reference":"INV-1","transaction_desc":"Shoes"}'`,
  ];
}

/** A dozen lines: the payments with their workflows are in a file. */
function demoLines({ merchant, lines, notes, faults }: DemoResult, file: string): string[] {
  return [
    `A demo paid on every rail, as the merchant ${merchant}:`,
    ...lines.map(({ rail, shows, isRight }) =>
      cutText(`  ${isRight ? '✓' : '✗'} ${rail.padEnd(18)}${shows}`, columns),
    ),
    ...notes,
    ...(faults.length === 0
      ? [`${styled('green', 'The demo succeeded.')} Each payment with its workflow: ${file}`]
      : [styled('red', 'The demo failed:'), ...faults.map((fault) => `  - ${fault}`)]),
  ];
}
