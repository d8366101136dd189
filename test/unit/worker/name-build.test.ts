import { nameBuild } from '../../../src/worker/versions/build';

const digest = () => 'd19e57';
const commit = (isChanged: boolean) => ({ commit: '0f3ab12', isChanged });

describe('a build is named', () => {
  it.each([
    ['by its builder', 'v1.2.3', commit(false), { id: 'v1.2.3', from: 'name' }],
    [
      'by its commit, if it was built from an unchanged one',
      '',
      commit(false),
      { id: '0f3ab12', from: 'commit' },
    ],
    [
      'by its commit and its code, if that was changed',
      undefined,
      commit(true),
      { id: '0f3ab12-d19e57', from: 'code' },
    ],
    ['by its code, without a commit', undefined, undefined, { id: 'code-d19e57', from: 'code' }],
  ])('%s', (_sentence, given, found, build) => {
    expect(nameBuild({ given, found, digest })).toEqual(build);
  });

  it.each(['v1:2', 'v1 2', '-v1'])('not like %j, which Temporal could confuse with another', (given) => {
    expect(() => nameBuild({ given, found: undefined, digest })).toThrow('MALIPO_BUILD_ID must be a word');
  });
});
