// Tells that something waits, and leads there. Nothing is kept, and no request passes by here.
self.addEventListener("push", (event) => {
  const { path = "/" } = event.data?.json() ?? {};
  event.waitUntil(
    self.registration.showNotification("Something waits for you", {
      body: "Open Parley to see what.",
      icon: "/icon-192.png",
      tag: path,
      data: { path },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.path ?? "/", self.location.origin);
  if (url.origin !== self.location.origin) return;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async (all) => {
      // The page that shows this session already, else any.
      const open = all.find((client) => new URL(client.url).pathname === url.pathname) ?? all[0];
      if (!open) return self.clients.openWindow(url);
      await open.focus().catch(() => undefined);
      return open.navigate(url).catch(() => self.clients.openWindow(url));
    }),
  );
});
