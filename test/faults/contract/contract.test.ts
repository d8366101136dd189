import { undescribed, untriedStages } from './support/rails';

it('every rail describes in test/faults/contract/rails how each of its providers is made to fail', () => {
  expect(undescribed).toEqual([]);
});

it('every rail has its own test file', () => {
  expect(untriedStages()).toEqual([]);
});
