import { undescribed, untriedStages } from './support/rails';

it('every rail tells in test/faults/contract/rails how each of its providers is made to fail', () => {
  expect(undescribed).toEqual([]);
});

it('every rail is tried in a test file of its own', () => {
  expect(untriedStages()).toEqual([]);
});
