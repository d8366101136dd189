/** Boundaries on a process's connections: statements to the database, calls over HTTP, mail. */
const net = require('node:net');
const { contextOf, isOn, next, pass } = require('./crossings.cjs');
const { maskedPath, statementOf } = require('./wire.cjs');

/** The pending operation of each connection. */
const lines = new WeakMap();

function lineOf(socket) {
  const known = lines.get(socket) ?? {};
  lines.set(socket, known);
  return known;
}

function watchSockets() {
  const databasePort = Number(new URL(process.env.DATABASE_URL).port);
  const mailPort = Number(new URL(process.env.MALIPO_SMTP_URL ?? 'smtp://127.0.0.1:0').port);
  const { write, push } = net.Socket.prototype;
  net.Socket.prototype.write = function (chunk, ...rest) {
    let sent;
    if (isOn() && chunk !== undefined && chunk !== null) {
      if (this.remotePort === databasePort) onStatement(this, chunk);
      else if (this.remotePort === mailPort) sent = onMail(this, String(chunk));
      else onHttp(this, Buffer.isBuffer(chunk) ? chunk.toString('latin1') : String(chunk));
    }
    const result = write.call(this, chunk, ...rest);
    if (sent !== undefined) pass(sent);
    return result;
  };
  net.Socket.prototype.push = function (chunk, ...rest) {
    if (chunk) onAnswer(lines.get(this));
    return push.call(this, chunk, ...rest);
  };
}

/** The process has not seen the received data yet. */
function onAnswer(line) {
  if (!line?.answered) return;
  const { sent, answered, what } = line;
  Object.assign(line, { sent: undefined, answered: undefined, what: undefined });
  if (sent) pass(sent);
  pass(answered, what);
}

function onStatement(socket, chunk) {
  const statement = statementOf(chunk);
  if (!statement) return;
  const line = lineOf(socket);
  const { verb, text, writes } = statement;
  if (verb === 'begin') {
    line.transaction = { written: [] };
    beginIn(line.transaction, contextOf(''));
    return;
  }
  const { transaction } = line;
  if (!transaction) {
    if (writes) onSingle(line, writes, text);
    return;
  }
  if (writes) transaction.written.push(writes);
  if (verb === 'rollback' || verb === 'commit') line.transaction = undefined;
  // A job's subject is unknown until a statement names it; earlier statements are rolled back with it.
  else if (!transaction.name) beginIn(transaction, contextOf(text));
  if (verb === 'commit') onCommit(line, transaction);
}

/** A statement that is its own transaction. */
function onSingle(line, writes, text) {
  const context = contextOf(text);
  if (!context) return;
  const name = next(context, `write:${writes.replace(' ', '-')}`);
  pass(`${name}.before`);
  line.answered = `${name}.written`;
}

function beginIn(transaction, context) {
  if (!context) return;
  transaction.name = next(context, 'transaction');
  pass(`${transaction.name}.begin`);
}

function onCommit(line, { name, written }) {
  if (!name || written.length === 0) return;
  const what = [...new Set(written)].join(', ');
  pass(`${name}.commit`, what);
  Object.assign(line, { answered: `${name}.committed`, what });
}

const requestLine = /^(GET|POST|PUT|PATCH|DELETE) (\S+) HTTP\/1\.1\r\n/;

function onHttp(socket, text) {
  const [, method, path] = requestLine.exec(text) ?? [];
  const context = method && contextOf(text);
  if (!context) return;
  const name = next(context, `call:${method}:${maskedPath(path)}`);
  pass(`${name}.before`);
  const line = lineOf(socket);
  Object.assign(line, { sent: `${name}.sent`, answered: `${name}.answered` });
  // Its body may follow in this turn of the loop; the answer comes in a later one.
  const whenSent = () => {
    if (line.sent !== `${name}.sent`) return;
    if (socket.writableLength > 0) return void setImmediate(whenSent);
    line.sent = undefined;
    pass(`${name}.sent`);
  };
  setImmediate(whenSent);
}

/** @returns the boundary after the last byte of a mail, if this is it. */
function onMail(socket, text) {
  const line = lineOf(socket);
  if (/^MAIL FROM/i.test(text)) {
    const context = contextOf('');
    line.mail = context && next(context, 'mail');
    if (line.mail) pass(`${line.mail}.before`);
  }
  if (!line.mail || !text.endsWith('\r\n.\r\n')) return undefined;
  const { mail } = line;
  Object.assign(line, { mail: undefined, answered: `${mail}.answered` });
  return `${mail}.sent`;
}

module.exports = { watchSockets };
