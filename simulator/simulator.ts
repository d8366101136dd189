/** Creates the parts: one journal, one clock, and an origin for the control API and for every provider. */
import express, { type Express, type Router } from 'express';
import { openBooks } from './books';
import { createCallbackTransport } from './callbacks';
import { openClock, type Clock } from './clock';
import { controlRouter } from './control';
import { openFaults } from './faults';
import { openJournal } from './journal';
import { listenOn, type Listeners } from './listeners';
import { receiveMail, type MailReceiver } from './mail-receiver';
import { openMailbox } from './mailbox';
import { namedScenarios } from './named-scenarios';
import { frontPages, originPages } from './pages';
import { providers } from './providers';
import type { ProviderContext, ProviderDefinition } from './provider';
import { createRequestLog } from './requests';
import { openSchedule } from './schedule';
import { openStatements } from './statement-lines';
import { readSimulatorSettings, SettingsReader, type Environment, type SimulatorSettings } from './settings';

export interface Simulator {
  /** Of the control API and the front page, without a trailing slash. */
  url: string;
  /** The origin of each provider by name, without a trailing slash. */
  origins: Record<string, string>;
  /** The port for mail, if any. */
  smtpPort?: number;
  clock: Clock;
  /** Ends promptly; later jobs run after the next start with the same state folder. */
  close(): Promise<void>;
}

/** The environment that server.ts reads; the server's own settings can be given directly. */
export interface SimulatorOptions extends Partial<Omit<SimulatorSettings, 'providerPorts'>> {
  env: Environment;
  /** The wall clock that virtual time follows; with a stopped one, time passes only by advances. */
  wallNow?: (() => number) | undefined;
  /** Supplies existing keys: generating one takes as long as a hundred calls. */
  makeRsaKey?: ProviderContext['makeRsaKey'];
}

type Start = ReturnType<ProviderDefinition['configure']>;

/** The origin that belongs to no provider. */
const CONTROL = 'control';

/** @throws SettingsError that lists everything missing. */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  const reader = new SettingsReader(withDirectSettings(options));
  const settings = readSimulatorSettings(reader, providers);
  const starts = new Map(providers.map((provider) => [provider, provider.configure(reader)]));
  reader.finish();

  // The ports are opened before the journal: a second simulator, started by mistake, must not change it.
  const listeners = await listenOn(settings.host, { [CONTROL]: settings.port, ...settings.providerPorts });
  try {
    const { apps, clock, mailbox, stop } = assemble(settings, starts, listeners, options);
    const mail = await receiveMailIfAsked(settings, { mailbox, clock }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    for (const [name, app] of apps) listeners.answer(name, app);
    return {
      url: listeners.urlOf(CONTROL),
      origins: Object.fromEntries(providers.map(({ name }) => [name, listeners.urlOf(name)])),
      ...(mail && { smtpPort: mail.port }),
      clock,
      async close() {
        await listeners.close();
        await mail?.close();
        await stop();
      },
    };
  } catch (error) {
    await listeners.close();
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
  listeners: Pick<Listeners, 'urlOf'>,
  { wallNow, makeRsaKey }: Pick<SimulatorOptions, 'wallNow' | 'makeRsaKey'>,
) {
  const journal = openJournal(settings.stateFolder);
  const clock = openClock(journal, settings.timeScale, wallNow);
  const schedule = openSchedule(journal, clock);
  const faults = openFaults(journal);
  const requests = createRequestLog(clock);
  const books = openBooks(journal, clock);
  const statements = openStatements(journal, books);
  const mailbox = openMailbox(journal);
  const transport = createCallbackTransport({ clock, faults, requests, schedule });
  const shared = { journal, clock, schedule, faults, requests, books, statements, mailbox, makeRsaKey };

  const running = [...starts].map(([definition, start]) => {
    const origin = listeners.urlOf(definition.name);
    const provider = start({ ...shared, origin, callbacks: transport.senderFor(definition.name) });
    return { definition, origin, provider };
  });
  const faultyCalls = new Map(running.map(({ definition }) => [definition.name, definition.faultyCalls]));
  const statementFiles = new Map(
    running.flatMap(({ definition: { name, statement } }) => (statement ? [[name, statement] as const] : [])),
  );
  const providerControls = new Map(
    running.flatMap(({ definition, provider }) =>
      provider.control ? [[definition.name, provider.control] as const] : [],
    ),
  );
  const control = express.Router().use(
    '/control',
    controlRouter({
      ...{ ...shared, faultyCalls, statementFiles, providerControls },
      scenarios: namedScenarios(running),
    }),
  );
  const apps = new Map<string, Express>([
    [CONTROL, appOf(control, frontPages(running, mailbox))],
    ...running.map(({ definition, provider }) => {
      return [definition.name, appOf(provider.router, originPages(listeners.urlOf(CONTROL)))] as const;
    }),
  ]);
  schedule.start();

  const stop = async () => {
    schedule.stop();
    await transport.close();
    journal.close();
  };
  return { apps, clock, mailbox, stop };
}

function appOf(...routers: Router[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(routers);
  return app;
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
