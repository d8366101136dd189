/** The lines a newcomer reads first: where everything is, with which keys, and one command to try. */
import { relative } from 'node:path';
import { styleText } from 'node:util';
import type { DemoResult } from './demo';
import { demoTable } from './demo/table';
import type { SandboxDescription } from './sandbox-description';
import type { SandboxFolder } from './sandbox-folder';
import { providerNames } from './simulated-providers';

export interface Summary {
  title: string;
  /** What there is besides what every sandbox has. */
  further: string[];
  /** How to say something of this sandbox to `malipo`, where that is not the usual way. */
  commands?: string[];
}

const standard = ({ temporal_ui_url: url }: SandboxDescription): Summary => ({
  title: 'Malipo is up (sandbox).',
  further: [`  Temporal UI  ${url}`],
});

export function printSummary(
  description: SandboxDescription,
  folder: SandboxFolder,
  demo: DemoResult | undefined,
  { title, further, commands = [] }: Summary = standard(description),
): void {
  const lines = [
    '',
    styled('bold', title),
    '',
    `  API          ${description.api_url}`,
    `  Operations   ${description.ops_url}   (/readyz and /metrics)`,
    `  Docs         ${description.ops_url}/docs/`,
    ...portalLines(description),
    ...further,
    `  Simulator    ${description.simulator_url}`,
    ...providerLines(description),
    `  Handset      ${description.providers.stk.base_url}/handset   (for numbers ending 600, a person decides)`,
    `  Logs         ${relative(process.cwd(), folder.log('*'))}`,
    `  For scripts  ${relative(process.cwd(), folder.description)}`,
    ...commands,
    '',
    ...description.merchants.flatMap(({ name, merchant_id, api_key, api_secret }) => [
      `  ${name}`,
      `    merchant   ${merchant_id}`,
      `    X-API-Key  ${api_key}`,
      `    X-API-Secret  ${api_secret}`,
    ]),
    '',
    'Ask a customer for 10 shillings:',
    '',
    curl(description),
    '',
    ...(demo === undefined ? [] : demoLines(demo)),
    `Ctrl-C ends everything that was started here; from elsewhere, kill ${String(process.pid)}.`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The owner of the first shop; without a second factor, which live asks for. */
function portalLines({ portal }: SandboxDescription): string[] {
  if (!portal) return [];
  return [`  Portal       ${portal.url}   sign in as ${portal.email}, password ${portal.password}`];
}

/** Given as its host, an official client of the provider's works as it is. */
function providerLines({ providers }: SandboxDescription): string[] {
  return providerNames.map((name, index) => {
    const label = index === 0 ? 'Providers' : '';
    return `  ${label.padEnd(13)}${name.padEnd(10)} ${providers[name].base_url}`;
  });
}

/** Colours are for people: a log file gets plain text. */
function styled(style: 'bold' | 'green' | 'red', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

function curl({ api_url: apiUrl, merchants }: SandboxDescription): string {
  const merchant = merchants[0];
  const body = {
    phone_number: '254708374149',
    amount: 10,
    account_reference: 'INV-1',
    transaction_desc: 'First payment',
  };
  return [
    `curl -s ${apiUrl}/api/v1/stk_push -H 'Content-Type: application/json'`,
    `-H 'X-API-Key: ${merchant?.api_key ?? ''}'`,
    `-H 'X-API-Secret: ${merchant?.api_secret ?? ''}' -H "Idempotency-Key: order-$RANDOM$RANDOM"`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' ');
}

function demoLines({ rows, notes, faults }: DemoResult): string[] {
  const verdict =
    faults.length === 0
      ? styled('green', 'The demo went as it should.')
      : styled('red', ['The demo went wrong:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  return [demoTable(rows), ...notes, verdict, ''];
}
