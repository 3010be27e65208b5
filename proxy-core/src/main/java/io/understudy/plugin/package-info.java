/**
 * The public API: what a plugin implements and what it is given. A plugin watches; it gets no writable buffer and cannot
 * change, delay or drop a command. The one thing it can add is a statement of its own at a boundary, see {@link
 * io.understudy.plugin.SessionObserver#beforeCommand}.
 *
 * <p><b>Threads.</b> {@link io.understudy.plugin.ProxyPlugin}'s own methods run on the proxy's management thread, one at a
 * time. A {@link io.understudy.plugin.SessionObserver} is called on its session's event loop, never by two threads at once;
 * whatever it calls there must not wait. Work goes to {@link io.understudy.plugin.PluginContext#executor}.
 *
 * <p><b>Order.</b> For each session: {@code openSession} after a successful login, then for each command {@code
 * beforeCommand} (boundary bit only), {@code onCommand}, {@code onResponse} in the order of the commands, and exactly one
 * {@code onClose} at the end.
 *
 * <p><b>Faults.</b> An observer that throws is not called again in that session; the client never notices, a counter and a
 * log line do.
 */
@NullMarked
package io.understudy.plugin;

import org.jspecify.annotations.NullMarked;
