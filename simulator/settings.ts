import { readFileSync } from 'node:fs';
import { isHttpUrl } from './fields';

export type Environment = Record<string, string | undefined>;

export class SettingsError extends Error {}

/** Reads settings one by one and collects every error, to report all at once. */
export class SettingsReader {
  private readonly faults: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: string, fallback?: string): string {
    const value = this.env[name] ?? '';
    const file = this.env[`${name}_FILE`] ?? '';
    if (value !== '' && file !== '')
      this.faults.push(`${name} and ${name}_FILE: only one of them may be set`);
    if (value !== '') return value;
    if (file !== '') return this.textOf(file, `${name}_FILE`);
    if (fallback === undefined) this.faults.push(`${name} is missing`);
    return fallback ?? '';
  }

  /** A secret may be in a file, without the line break that editors add. */
  private textOf(file: string, name: string): string {
    try {
      const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (text === '') this.faults.push(`${name}: the file is empty`);
      return text;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      this.faults.push(`${name}: the file cannot be read (${code})`);
      return '';
    }
  }

  /** An address to call; undefined if it is not set. */
  url(name: string): string | undefined {
    const value = this.text(name, '');
    if (value === '') return undefined;
    if (!isHttpUrl(value)) this.faults.push(`${name} must be an http or https address`);
    return value;
  }

  /** 1 or 0; 0 if it is not set. */
  flag(name: string): boolean {
    const value = this.text(name, '0');
    if (value !== '0' && value !== '1') this.faults.push(`${name} must be 0 or 1`);
    return value === '1';
  }

  number(name: string, fallback: number, range: { min: number; max: number }): number {
    return this.optionalNumber(name, range) ?? fallback;
  }

  /** A number; undefined if it is not set. */
  optionalNumber(name: string, range: { min: number; max: number }): number | undefined {
    const value = this.env[name];
    if (value === undefined || value === '') return undefined;
    const number = Number(value);
    if (number >= range.min && number <= range.max) return number;
    this.faults.push(`${name} must be a number from ${String(range.min)} to ${String(range.max)}`);
    return undefined;
  }

  refuse(fault: string): void {
    this.faults.push(fault);
  }

  /** @throws SettingsError that lists everything missing or invalid. */
  finish(): void {
    if (this.faults.length > 0) {
      throw new SettingsError(`the simulator's settings are not usable:\n  ${this.faults.join('\n  ')}`);
    }
  }
}

export interface SimulatorSettings {
  host: string;
  /** Of the control API and the front page. */
  port: number;
  /** Of each provider's origin, by the provider's name. */
  providerPorts: Record<string, number>;
  /** The folder of the simulator's state between runs. */
  stateFolder: string;
  timeScale: number;
  /** The port for mail; without it none is received. */
  smtpPort?: number;
}

/** The standard port of an origin, and its name in the variable. */
interface Origin {
  name: string;
  port: number;
}

const anyPort = { min: 0, max: 65535 };

export function readSimulatorSettings(reader: SettingsReader, origins: readonly Origin[]): SimulatorSettings {
  if (reader.text('MALIPO_ENV', 'sandbox') === 'live') {
    reader.refuse('MALIPO_ENV is live: the simulator moves no real money and never runs beside it');
  }
  const smtpPort = reader.optionalNumber('MALIPO_SIMULATOR_SMTP_PORT', anyPort);
  const port = reader.number('MALIPO_SIMULATOR_PORT', 3001, anyPort);
  const portOf = ({ name, port: standard }: Origin) =>
    reader.number(`MALIPO_SIMULATOR_${name.toUpperCase()}_PORT`, port === 0 ? 0 : standard, anyPort);
  return {
    host: reader.text('MALIPO_SIMULATOR_HOST', '127.0.0.1'),
    port,
    providerPorts: Object.fromEntries(origins.map((origin) => [origin.name, portOf(origin)])),
    stateFolder: reader.text('MALIPO_SIMULATOR_STATE'),
    timeScale: reader.number('MALIPO_SANDBOX_TIME_SCALE', 1, { min: 1, max: 1_000_000 }),
    ...(smtpPort !== undefined && { smtpPort }),
  };
}
