const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whether only this machine can reach a host name. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
