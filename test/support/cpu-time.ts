/** The processor time of this process in milliseconds: unlike the time on the clock, other processes do not add to it. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
