import type { Log } from '../../src/domain/log';

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
