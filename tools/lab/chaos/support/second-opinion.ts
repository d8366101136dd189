import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportTables, hasPython, secondChecker } from '../../second-checker/export-tables';
import type { World } from './world';

/** The second checker's findings, with the providers' books and the merchants' received webhooks. */
export async function secondOpinion({ stack, merchants }: World): Promise<string[]> {
  if (!hasPython) return [];
  const folder = await mkdtemp(join(tmpdir(), 'malipo-chaos-'));
  const [tables, books, webhooks] = [join(folder, 'tables'), join(folder, 'books'), join(folder, 'webhooks')];
  try {
    await exportTables(stack.db, tables);
    await writeFile(books, await (await fetch(`${stack.simulatorUrl}/control/books?detail=1`)).text());
    const received = merchants.flatMap(({ receiver }) => receiver.received);
    const lines = received.map(({ headers, rawBody }) =>
      JSON.stringify({ id: headers['webhook-id'], body: rawBody }),
    );
    await writeFile(webhooks, lines.join('\n'));
    const { isClean, lines: found } = await secondChecker(tables, '--books', books, '--webhooks', webhooks);
    return isClean ? [] : found.slice(0, -1).map((line) => `second checker: ${line}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
