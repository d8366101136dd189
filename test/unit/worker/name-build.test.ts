import { nameBuild } from '../../../src/worker/versions/build';

const digest = () => 'd19e57';
const commit = (isChanged: boolean) => ({ commit: '0f3ab12', isChanged });

describe('a build is called', () => {
  it.each([
    ['as whoever builds it says', 'v1.2.3', commit(false), { id: 'v1.2.3', from: 'name' }],
    [
      'by its commit, where it was built from one as it is',
      '',
      commit(false),
      { id: '0f3ab12', from: 'commit' },
    ],
    [
      'by its commit and its code, where that was changed',
      undefined,
      commit(true),
      { id: '0f3ab12-d19e57', from: 'code' },
    ],
    ['by its code, where there is no commit', undefined, undefined, { id: 'code-d19e57', from: 'code' }],
  ])('%s', (_sentence, given, found, build) => {
    expect(nameBuild({ given, found, digest })).toEqual(build);
  });

  it.each(['v1:2', 'v1 2', '-v1'])('nothing like %j, which Temporal could not tell apart', (given) => {
    expect(() => nameBuild({ given, found: undefined, digest })).toThrow('MALIPO_BUILD_ID must be a word');
  });
});
