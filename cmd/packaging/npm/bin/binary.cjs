'use strict'

// The program is in another package for each platform, of which npm installs the one that
// fits: npm skips an optional dependency with another "os" or "cpu".

/** The platforms that there are packages for, as process.platform and process.arch name them. */
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']

/** Returns the path of the program for this platform. FAKEOPENAI_BINARY names another program. */
function binaryPath() {
  if (process.env.FAKEOPENAI_BINARY) return process.env.FAKEOPENAI_BINARY
  const platform = `${process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'fakeopenai.exe' : 'fakeopenai'
  try {
    return require.resolve(`@fakeopenai/${platform}/${file}`)
  } catch {
    throw new Error(missing(platform))
  }
}

function missing(platform) {
  if (!platforms.includes(platform)) {
    return `fakeopenai: there is no package for ${platform}. There are packages for ${platforms.join(', ')}. ` +
      'Elsewhere build the program with Go, and name it in the variable FAKEOPENAI_BINARY.'
  }
  return `fakeopenai: the package @fakeopenai/${platform} is not installed. npm leaves it out with --omit=optional, and if ` +
    'node_modules was installed on another platform. Install fakeopenai again on this platform, without --omit=optional.'
}

module.exports = { binaryPath }
