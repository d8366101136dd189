/** Puts the parts together: one HTTP server, one memory, one clock, and every provider under its own path. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { openBooks } from './books';
import { createCallbackTransport } from './callbacks';
import { openClock, type Clock } from './clock';
import { controlRouter } from './control';
import { openFaults } from './faults';
import { openJournal } from './journal';
import { receiveMail, type MailReceiver } from './mail-receiver';
import { openMailbox } from './mailbox';
import { pagesRouter } from './pages';
import { providers } from './providers';
import type { ProviderDefinition, RunningProvider } from './provider';
import { createRequestLog } from './requests';
import { openSchedule } from './schedule';
import { readSimulatorSettings, SettingsReader, type Environment, type SimulatorSettings } from './settings';

export interface Simulator {
  /** The base address, without a slash at its end. */
  url: string;
  /** Where mail is received, if anywhere. */
  smtpPort?: number;
  clock: Clock;
  /** Ends promptly; what is due later happens after the next start with the same state folder. */
  close(): Promise<void>;
}

/** The environment that server.ts reads, with the settings of the server itself given directly if that is easier. */
export interface SimulatorOptions extends Partial<SimulatorSettings> {
  env: Environment;
  /** The wall clock that virtual time follows; one that stands still leaves all of it to what is advanced. */
  wallNow?: (() => number) | undefined;
}

type Start = ReturnType<ProviderDefinition['configure']>;

/** @throws SettingsError naming everything that is missing. */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  const reader = new SettingsReader(withDirectSettings(options));
  const settings = readSimulatorSettings(reader);
  const starts = new Map(providers.map((provider) => [provider, provider.configure(reader)]));
  reader.finish();

  // The port is taken before the journal is opened: a second simulator, started by mistake, must not touch it.
  const server = createServer();
  server.listen(settings.port, settings.host);
  await once(server, 'listening');
  try {
    const { app, clock, mailbox, stop } = assemble(settings, starts, options.wallNow);
    const mail = await receiveMailIfAsked(settings, { mailbox, clock }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    server.on('request', app);
    return {
      url: urlOf(settings.host, (server.address() as AddressInfo).port),
      ...(mail && { smtpPort: mail.port }),
      clock,
      async close() {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
        await mail?.close();
        await stop();
      },
    };
  } catch (error) {
    server.close();
    throw error;
  }
}

async function receiveMailIfAsked(
  { host, smtpPort }: SimulatorSettings,
  parts: Parameters<typeof receiveMail>[0],
): Promise<MailReceiver | undefined> {
  return smtpPort === undefined ? undefined : receiveMail(parts, host, smtpPort);
}

function assemble(
  settings: SimulatorSettings,
  starts: ReadonlyMap<ProviderDefinition, Start>,
  wallNow: SimulatorOptions['wallNow'],
) {
  const journal = openJournal(settings.stateFolder);
  const clock = openClock(journal, settings.timeScale, wallNow);
  const schedule = openSchedule(journal, clock);
  const faults = openFaults(journal);
  const requests = createRequestLog(clock);
  const books = openBooks(journal);
  const mailbox = openMailbox(journal);
  const transport = createCallbackTransport({ clock, faults, requests, schedule });
  const shared = { journal, clock, schedule, faults, requests, books, mailbox };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const running: { definition: ProviderDefinition; provider: RunningProvider }[] = [];
  for (const [definition, start] of starts) {
    const provider = start({ ...shared, callbacks: transport.senderFor(definition.name) });
    running.push({ definition, provider });
    app.use(`/${definition.name}`, provider.router);
  }
  const faultyCalls = new Map(running.map(({ definition }) => [definition.name, definition.faultyCalls]));
  const providerControls = new Map(
    running.flatMap(({ definition, provider }) =>
      provider.control ? [[definition.name, provider.control] as const] : [],
    ),
  );
  app.use('/control', controlRouter({ ...shared, faultyCalls, providerControls }));
  app.use(pagesRouter(running, mailbox));
  schedule.start();

  const stop = async () => {
    schedule.stop();
    await transport.close();
    journal.close();
  };
  return { app, clock, mailbox, stop } satisfies { app: Express; clock: Clock; [part: string]: unknown };
}

function withDirectSettings({
  env,
  host,
  port,
  stateFolder,
  timeScale,
  smtpPort,
}: SimulatorOptions): Environment {
  return {
    ...env,
    ...(host !== undefined && { MALIPO_SIMULATOR_HOST: host }),
    ...(port !== undefined && { MALIPO_SIMULATOR_PORT: String(port) }),
    ...(stateFolder !== undefined && { MALIPO_SIMULATOR_STATE: stateFolder }),
    ...(timeScale !== undefined && { MALIPO_SANDBOX_TIME_SCALE: String(timeScale) }),
    ...(smtpPort !== undefined && { MALIPO_SIMULATOR_SMTP_PORT: String(smtpPort) }),
  };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
