// Keeps the daemon alive with pm2: `npm run build`, then `pm2 start ecosystem.config.cjs`, `pm2 logs`, `pm2 stop tickwright`.
// CommonJS, because pm2 loads it with require().
module.exports = {
  apps: [
    {
      name: 'tickwright',
      cwd: __dirname,
      script: 'dist/src/cli/main.js',
      // Real money: a configuration of your own, made from config/live.example.yaml, and `live` instead of `paper`.
      args: 'paper --config config/paper.yaml',

      // One process for each account. The daemon also holds a lock, so that a second one ends with a message.
      instances: 1,
      exec_mode: 'fork',

      // "Online" means: configuration valid, lock held, journal open, control reachable. The daemon says so itself;
      // the longest wait is for the embedded broker to start on a slow machine.
      wait_ready: true,
      listen_timeout: 30_000,

      // `pm2 stop` sends SIGINT, and SIGKILL after this. A stop takes a second as a rule; the limits of what it may have to
      // wait for are 80 s (cancels 15 s, a flatten a minute), 10 s for calls under way and 5 s for the embedded broker.
      kill_timeout: 100_000,
      // The signal goes to the daemon alone: the embedded broker must outlive it, as a real one would.
      treekill: false,

      // Several times what a day needs: whoever reaches this leaks. It ends by SIGINT, so cleanly, and starts again.
      max_memory_restart: '768M',

      // A crash is followed by a new start after 1 s, 1.5 s, 2.25 s ... 15 s; after 30 s of life the count begins anew.
      exp_backoff_restart_delay: 1_000,
      // Ten starts in a row that last under 20 s are no accident: pm2 then shows "errored" and leaves the rest to a person.
      min_uptime: 20_000,
      max_restarts: 10,
      // 2: the configuration is wrong, or an older version has to finish the session. 3: another daemon runs. A new start changes neither. Not 0: pm2 takes a daemon that
      // was killed (out of memory) for one that ended with 0, and it must come back. 5: a person stopped it (`tickwright stop`, the page), which
      // `TICKWRIGHT_STOP_EXIT` below asks for.
      stop_exit_codes: [2, 3, 5],

      merge_logs: true,
      time: true,
      // Nothing to watch, and no look at the git history: this program does not change while it runs.
      watch: false,
      vizion: false,

      // No secrets here, and none from the shell either: pm2 would keep them in clear in its dump file. A variable is left out when its name
      // contains one of these. Under pm2 each secret is in a file of mode 600, which the configuration names (`apiKeyFile`, `token: { file }`).
      // A `pm2 restart tickwright --update-env` would take them all the same: restart by `pm2 restart ecosystem.config.cjs`.
      filter_env: ['KEY', 'TOKEN', 'PASSWORD', 'SECRET', 'TICKWRIGHT_WEBHOOK_URL', 'TICKWRIGHT_DEAD_MAN_URL'],
      env: { NODE_ENV: 'production', TICKWRIGHT_STOP_EXIT: '5' },
    },
  ],
};
