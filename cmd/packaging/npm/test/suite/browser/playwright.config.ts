import { defineConfig } from '@playwright/test'

export default defineConfig({
  reporter: 'json',
  testMatch: '*.spec.ts',
  workers: 1,
  use: { launchOptions: { executablePath: process.env.CHROMIUM!, args: ['--no-sandbox'] } },
})
