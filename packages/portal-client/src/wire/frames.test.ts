import { expect, it } from 'vitest';
import { readFrame } from './frames.js';

it.each([
  ['{"op":"heartbeat_ack"}', { op: 'heartbeat_ack' }],
  ['{"op":"hello","d":{"heartbeatIntervalMs":5,"newer":1}}', { op: 'hello', d: { heartbeatIntervalMs: 5, newer: 1 } }],
  ['{"op":"invalid_session","d":{}}', { op: 'invalid_session', d: { resumable: false, reason: '' } }],
  [
    '{"op":"rpc_result","d":{"id":"1","ok":false,"error":{"code":50035}}}',
    { op: 'rpc_result', d: { id: '1', ok: false, error: { code: 50035, message: '' } } },
  ],
  ['{"op":"dispatch","seq":3,"d":{"type":"newer","of":1}}', { op: 'dispatch', seq: 3, d: { type: 'newer', of: 1 } }],
])('%s is understood', (text, frame) => {
  expect(readFrame(text)).toEqual(frame);
});

it.each([
  'no JSON',
  '[]',
  'null',
  '{"op":7}',
  '{"op":"constructor","d":{}}',
  '{"op":"hello","d":{"heartbeatIntervalMs":0}}',
  '{"op":"dispatch","d":{"type":"typing"}}',
  '{"op":"ready","d":{"sessionId":"s"}}',
  '{"op":"weather","d":{}}',
])('%s is left alone', (text) => {
  expect(readFrame(text)).toBeUndefined();
});
