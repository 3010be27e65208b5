/**
 * The public API: the interfaces that a plugin implements and those that the proxy passes to it. A plugin observes; it
 * gets no writable buffer and cannot change, delay or drop a command. It can inject a statement at a boundary, see
 * {@link io.understudy.plugin.SessionObserver#beforeCommand}.
 *
 * <p><b>Threads.</b> The methods of {@link io.understudy.plugin.ProxyPlugin} run on the proxy's management thread, one
 * at a time, except {@code openSession}. A {@link io.understudy.plugin.SessionObserver} is called on its session's
 * event loop, never by two threads at once; it must not wait there. Work goes to
 * {@link io.understudy.plugin.PluginContext#executor}.
 *
 * <p><b>Order.</b> For each session: {@code openSession} after a successful login, then for each command
 * {@code beforeCommand} (with {@code Interest.BOUNDARY}), {@code onCommand} and {@code onResponse} in the order of the
 * commands, and exactly one {@code onClose} at the end.
 *
 * <p><b>Faults.</b> An observer that throws is not called again in that session. The client does not notice; a counter
 * and a log line report it.
 */
@NullMarked
package io.understudy.plugin;

import org.jspecify.annotations.NullMarked;
