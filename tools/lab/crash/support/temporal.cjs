/** Boundaries with Temporal: client calls, the tasks of a worker, and their completions. */
const { AsyncLocalStorage } = require('node:async_hooks');
const http2 = require('node:http2');
const { contextOf, enter, isCurrent, isOfTrial, next, pass, within } = require('./crossings.cjs');
const { workflowOf } = require('./wire.cjs');

function watchClient() {
  const { connect } = http2;
  http2.connect = (...args) => {
    const session = connect(...args);
    const { request } = session;
    session.request = (headers, ...rest) => watched(request.call(session, headers, ...rest), headers);
    return session;
  };
}

/** The headers alone are no request: the written data contains it. */
function watched(stream, headers) {
  const method = String(headers[':path']).split('/').at(-1);
  const { write, emit } = stream;
  let answered;
  stream.write = (chunk, ...rest) => {
    const context = contextOf(Buffer.isBuffer(chunk) ? chunk.toString('latin1') : '');
    if (context) {
      const name = next(context, `Temporal:${method}`);
      pass(`${name}.before`);
      answered = `${name}.answered`;
    }
    return write.call(stream, chunk, ...rest);
  };
  stream.emit = (event, ...rest) => {
    if (event === 'response' && answered) {
      const point = answered;
      answered = undefined;
      pass(point);
    }
    return emit.call(stream, event, ...rest);
  };
  return stream;
}

const tasks = [];

/** @param info the SDK's description of an activity. */
function activityOf(info) {
  const token = Buffer.from(info.taskToken);
  const known = tasks.findLast((task) => task.token.equals(token));
  if (known && isCurrent(known.context)) return known.context;
  const context = enter(`activity:${info.activityType}`);
  tasks.push({ token, context });
  pass(`${context.name}/begin`);
  return context;
}

/** The SDK runs each activity in its own async storage, which identifies it. */
function watchActivities() {
  const { run } = AsyncLocalStorage.prototype;
  AsyncLocalStorage.prototype.run = function (store, work, ...args) {
    const go = () => run.call(this, store, work, ...args);
    const info = store?.info;
    if (!isOfTrial(info?.workflowExecution?.workflowId)) return go();
    return within(activityOf(info), go);
  };
}

/** The worker core is native: calls of its functions show the boundaries. */
function watchWorker() {
  const { dlopen } = process;
  process.dlopen = (module, ...rest) => {
    dlopen.call(process, module, ...rest);
    const native = module.exports;
    if (typeof native.workerCompleteActivityTask === 'function') module.exports = watchedCore(native);
  };
}

function watchedCore(native) {
  const workflows = new Map();
  const completing = async (name, complete, worker, result) => {
    if (!name) return complete(worker, result);
    pass(`${name}.before`);
    await complete(worker, result);
    pass(`${name}.after`);
  };
  return {
    ...native,
    async workerPollWorkflowActivation(worker) {
      const activation = await native.workerPollWorkflowActivation(worker);
      const { runId, workflowId } = workflowOf(activation);
      if (workflowId !== undefined) workflows.set(runId, workflowId);
      return activation;
    },
    workerCompleteWorkflowActivation(worker, result) {
      const workflowId = workflows.get(workflowOf(result).runId);
      const name = isOfTrial(workflowId) ? enter('task').name : undefined;
      return completing(name, native.workerCompleteWorkflowActivation, worker, result);
    },
    workerCompleteActivityTask(worker, result) {
      const context = tasks.findLast(({ token }) => result.includes(token))?.context;
      const name = isCurrent(context) ? `${context.name}/completion` : undefined;
      return completing(name, native.workerCompleteActivityTask, worker, result);
    },
  };
}

module.exports = { watchActivities, watchClient, watchWorker };
