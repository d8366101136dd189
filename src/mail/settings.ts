import Joi from 'joi';
import { ConfigError, readVariables, type Environment } from '../config';
import { readMailbox, type Mailbox } from './enqueue-mail';

export interface MailSettings {
  host: string;
  port: number;
  /**
   * - implicit: TLS from the first byte (smtps).
   * - required: STARTTLS; no mail without it.
   * - offered: STARTTLS if the server supports it.
   * - none: a relay on this machine; no certificate can name its loopback address.
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

/** @public A test compares it with the deployment files. */
export const mailVariables = Joi.object<Variables>({
  MALIPO_SMTP_URL: Joi.string()
    .pattern(/^smtps?:\/\/(?:[^\s/?#@:]+:[^\s/?#@:]+@)?[^\s/?#@]+\/?$/)
    .allow('')
    .default('')
    .messages({
      'string.pattern.base':
        'MALIPO_SMTP_URL must begin with smtp:// or smtps://, with an optional "user:password@"',
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
 * The mail settings, for rails that send mail. By default the sandbox sends mail to the simulator.
 * @throws ConfigError naming every setting that is missing or wrong; in live none has a default.
 */
export function readMailSettings(env: NodeJS.ProcessEnv, environment: Environment): MailSettings {
  const v = readVariables(mailVariables, env);
  const missing = (['MALIPO_SMTP_URL', 'MALIPO_MAIL_FROM'] as const).filter((name) => v[name] === '');
  if (environment === 'live' && missing.length > 0) {
    throw new ConfigError(`an active rail sends mail, so these must be set: ${missing.join(', ')}`);
  }
  const from = readMailbox(v.MALIPO_MAIL_FROM || sandboxFrom);
  if (!from) throw new Error('unreachable: the sender was read before');
  const text = v.MALIPO_SMTP_URL || `smtp://127.0.0.1:${v.MALIPO_SIMULATOR_SMTP_PORT}`;
  return { ...serverOf(text, environment), from };
}

/**
 * As `readMailSettings`, but mail is optional.
 * @returns undefined in live without a mail server.
 */
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
    // The original error quotes the URL, which contains a password.
    throw new ConfigError('MALIPO_SMTP_URL is not a valid URL');
  }
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}
