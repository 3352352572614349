import { describe, expect, it } from 'vitest';
import { helpText, parseFlags, type Usage } from './flags.js';

const USAGE: Usage = {
  program: 'bridge',
  purpose: 'a bridge',
  errands: { enroll: 'come in' },
  variables: [['A_VARIABLE', 'what it means']],
};

const parse = (...argv: string[]) => parseFlags(argv, USAGE);

describe('flags', () => {
  it('default to stdio', () => {
    expect(parse()).toEqual({ kind: 'serve', config: undefined, serving: { kind: 'stdio' } });
    expect(parse('--stdio', '--config', 'c.json')).toEqual({
      kind: 'serve',
      config: 'c.json',
      serving: { kind: 'stdio' },
    });
  });
  it('listen on an address', () => {
    expect(parse('--listen', '127.0.0.1:8780')).toMatchObject({
      serving: { kind: 'listen', host: '127.0.0.1', port: 8780 },
    });
    expect(() => parse('--listen', '8780')).toThrow(/use HOST:PORT/);
  });
  it('listen on a port of this machine', () => {
    expect(parse('--tcp', '8781')).toMatchObject({ serving: { kind: 'tcp', port: 8781 } });
    expect(() => parse('--tcp', '70000')).toThrow('--tcp has port 70000; use PORT, e.g. 8781');
    expect(() => parse('--tcp', '8781', '--stdio')).toThrow('use one of --stdio, --listen and --tcp');
  });
  it('name a command of the program', () => {
    expect(parse('enroll', '--config', 'c.json')).toEqual({ kind: 'errand', name: 'enroll', config: 'c.json' });
    expect(() => parse('enrol')).toThrow('there is no command enrol; see bridge --help');
    expect(() => parse('constructor')).toThrow('there is no command constructor');
  });
  it('that nobody knows are refused', () => {
    expect(() => parse('--lisen')).toThrow(/--lisen.*bridge --help/);
  });
  it('are explained', () => {
    expect(helpText(USAGE)).toMatch(/bridge enroll \[--config FILE\].*enroll +come in.*A_VARIABLE +what it means/s);
  });
});
