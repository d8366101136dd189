import { addressBlock, isThisMachine } from '../../../src/domain/ip-address';

it.each([
  ['localhost', true],
  ['shop.localhost', true],
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['[::1]', true],
  ['localhost.example.com', false],
  ['.localhost.example.com', false],
  ['shop.example.com', false],
  ['10.0.0.1', false],
  ['[2c0f:fe38::7]', false],
])('whether %s is this machine: %s', (hostname, expected) => {
  expect(isThisMachine(hostname)).toBe(expected);
});

it.each([
  ['41.90.64.7', '41.90.64.7'],
  ['::ffff:41.90.64.7', '41.90.64.7'],
  ['2c0f:fe38:1:2:3:4:5:6', '2c0f:fe38:1:2::/64'],
  ['2c0f:fe38::7', '2c0f:fe38:0:0::/64'],
  ['shop.example.com', ''],
])('%s is counted as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
