import { EventEmitter } from 'node:events';
import { keptListeners, keptProperties } from '../../support/kept-state.cjs';

describe('what a test file leaves on an emitter, such as its process', () => {
  it('is removed, and nothing that was there before', () => {
    const emitter = new EventEmitter() as EventEmitter & { own?: string };
    const heard = jest.fn();
    emitter.on('message', heard);
    for (const file of ['one', 'two', 'three']) {
      const restore = [keptProperties(emitter), keptListeners(emitter)];
      emitter.on(`of file ${file}`, () => undefined);
      emitter.own = file;
      for (const reset of restore) reset();
    }
    expect(emitter.eventNames()).toEqual(['message']);
    expect(emitter.own).toBeUndefined();
    emitter.emit('message');
    expect(heard).toHaveBeenCalledTimes(1);
  });
});
