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
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async ([open]) => {
      if (!open) return self.clients.openWindow(url);
      await open.focus();
      return open.navigate(url).catch(() => self.clients.openWindow(url));
    }),
  );
});
