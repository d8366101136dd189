import Joi from 'joi';
import { ConfigError, readVariables, type Environment } from '../config';
import { readMailbox, type Mailbox } from './enqueue-mail';

export interface MailSettings {
  host: string;
  port: number;
  /**
   * - implicit: TLS from the first byte (smtps).
   * - required: STARTTLS, and no mail without it.
   * - offered: STARTTLS where the server has it.
   * - none: a relay on this machine, whose certificate could not be in its address's name.
   */
  tls: 'implicit' | 'required' | 'offered' | 'none';
  account?: { user: string; pass: string };
  from: Mailbox;
}

interface Variables {
  MALIPO_SMTP_URL: string;
  MALIPO_MAIL_FROM: string;
  MALIPO_SIMULATOR_SMTP_PORT: number;
}

/** @public Compared with the deployment files by a test. */
export const mailVariables = Joi.object<Variables>({
  MALIPO_SMTP_URL: Joi.string()
    .pattern(/^smtps?:\/\/(?:[^\s/?#@:]+:[^\s/?#@:]+@)?[^\s/?#@]+\/?$/)
    .allow('')
    .default('')
    .messages({
      'string.pattern.base': 'MALIPO_SMTP_URL must be smtp:// or smtps://, with "user:password@" or without',
    }),
  MALIPO_MAIL_FROM: Joi.string()
    .custom((text: string, helpers) => (readMailbox(text) ? text : helpers.error('string.email')))
    .allow('')
    .default(''),
  MALIPO_SIMULATOR_SMTP_PORT: Joi.number().port().default(3025),
}).unknown(true);

const sandboxFrom = 'Malipo Sandbox <no-reply@malipo.example>';
const standardPort = { smtp: 587, smtps: 465 };

/**
 * What a rail that sends mail needs. The sandbox hands its mail to the simulator unless told otherwise.
 * @throws ConfigError naming every setting that is missing or wrong; in live none has a default.
 */
export function readMailSettings(env: NodeJS.ProcessEnv, environment: Environment): MailSettings {
  const v = readVariables(mailVariables, env);
  const missing = (['MALIPO_SMTP_URL', 'MALIPO_MAIL_FROM'] as const).filter((name) => v[name] === '');
  if (environment === 'live' && missing.length > 0) {
    throw new ConfigError(`a rail that is served sends mail, so these must be set: ${missing.join(', ')}`);
  }
  const from = readMailbox(v.MALIPO_MAIL_FROM || sandboxFrom);
  if (!from) throw new Error('unreachable: the sender was read before');
  const text = v.MALIPO_SMTP_URL || `smtp://127.0.0.1:${v.MALIPO_SIMULATOR_SMTP_PORT}`;
  return { ...serverOf(text, environment), from };
}

/** As `readMailSettings`, where mail is no must. @returns undefined in live when no mail server is set. */
export function findMailSettings(env: NodeJS.ProcessEnv, environment: Environment): MailSettings | undefined {
  const isUnset = (env['MALIPO_SMTP_URL'] ?? '') === '';
  return environment === 'live' && isUnset ? undefined : readMailSettings(env, environment);
}

function serverOf(text: string, environment: Environment): Omit<MailSettings, 'from'> {
  const { url, account } = partsOf(text);
  const scheme = url.protocol === 'smtps:' ? 'smtps' : 'smtp';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: url.port === '' ? standardPort[scheme] : Number(url.port),
    tls:
      scheme === 'smtps'
        ? 'implicit'
        : isLoopback(host)
          ? 'none'
          : environment === 'live'
            ? 'required'
            : 'offered',
    ...(account.user !== '' && { account }),
  };
}

function partsOf(text: string): { url: URL; account: { user: string; pass: string } } {
  try {
    const url = new URL(text);
    return {
      url,
      account: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    };
  } catch {
    // What was thrown quotes the URL, which holds a password.
    throw new ConfigError('MALIPO_SMTP_URL cannot be read as a URL');
  }
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}
