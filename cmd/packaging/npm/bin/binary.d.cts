/** Returns the path of the program for this platform. FAKEOPENAI_BINARY names another program. */
export function binaryPath(): string
