/**
 * Loaded into a process of ours by `node --require`, it sees every boundary that the process crosses, and ends the
 * process at a given one: with SIGKILL, at that call. It watches only Node's own interfaces (sockets, HTTP, HTTP/2,
 * native modules), so the product under test is the shipped bundle, without a hook in it. See docs/long-tests.md.
 */
const http = require('node:http');
const net = require('node:net');
const { isMainThread } = require('node:worker_threads');
const { arm, enter, isCurrent, isOn, openLog, pass, within } = require('./crossings.cjs');
const { watchSockets } = require('./sockets.cjs');
const { watchActivities, watchClient, watchWorker } = require('./temporal.cjs');
const { maskedPath } = require('./wire.cjs');

/** The context of each unanswered request. */
const answering = new WeakMap();

if (isMainThread && process.env.CRASH_POINTS_LOG !== undefined) {
  openLog(process.env.CRASH_POINTS_LOG);
  if (process.env.CRASH_POINTS_PORT !== undefined) listenToTheHarness(Number(process.env.CRASH_POINTS_PORT));
  if (process.env.CRASH_POINTS_ARM !== undefined) arm(JSON.parse(process.env.CRASH_POINTS_ARM));
  watchActivities();
  watchSockets();
  watchRequests(Number(process.env.MALIPO_API_PORT));
  watchClient();
  watchWorker();
}

/** Commands are lines of JSON. */
function listenToTheHarness(port) {
  const line = net.connect(port, '127.0.0.1');
  line.unref();
  // If the harness is gone, it ends its processes by itself.
  line.on('error', () => undefined);
  let text = '';
  line.on('data', (chunk) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      arm(JSON.parse(text.slice(0, end)));
      text = text.slice(end + 1);
      line.write('armed\n');
    }
  });
}

/** The requests of merchants and providers; operators' tools and balancers use another port. */
function watchRequests(apiPort) {
  const { emit } = http.Server.prototype;
  http.Server.prototype.emit = function (event, request, ...rest) {
    const go = () => emit.call(this, event, request, ...rest);
    if (event !== 'request' || !isOn() || this.address()?.port !== apiPort) return go();
    const context = enter(`${request.method}:${maskedPath(request.url)}`);
    answering.set(request, context);
    return within(context, go);
  };
  const { end } = http.ServerResponse.prototype;
  http.ServerResponse.prototype.end = function (...args) {
    const context = answering.get(this.req);
    if (!isCurrent(context)) return end.apply(this, args);
    pass(`${context.name}/answer.before`);
    this.once('finish', () => {
      if (isCurrent(context)) pass(`${context.name}/answer.sent`);
    });
    return end.apply(this, args);
  };
}
