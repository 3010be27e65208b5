/**
 * The public API: the interfaces that a plugin implements and those that the proxy passes to it. A plugin observes; it
 * gets no writable buffer and cannot change, delay or drop a command. It can inject a statement at a boundary, see
 * {@link io.understudy.plugin.SessionObserver#beforeCommand}, and set variables of the session, see
 * {@link io.understudy.plugin.SessionVariable}.
 *
 * <p><b>Threads.</b> The methods of {@link io.understudy.plugin.ProxyPlugin} run on the proxy's management thread, one
 * at a time, except {@code openSession}. A {@link io.understudy.plugin.SessionObserver} is called on its session's
 * event loop, never by two threads at once; it must not wait there. Work goes to
 * {@link io.understudy.plugin.PluginContext#executor}.
 *
 * <p><b>Order.</b> {@code start} comes before the first session that the plugin observes, {@code stop} after the last.
 * For each session: {@code possibleInterests} before its login, {@code openSession}, {@code interests} and
 * {@code variables} after it, then for each command {@code onCommand} and {@code onResponse} in the order of the
 * commands, and exactly one {@code onClose} at the end. With {@code Interest.BOUNDARY}, a statement is preceded by
 * {@code chooseVariables} and {@code beforeCommand}. {@code onInjected} comes after the response to an injected
 * statement, {@code onReset} after COM_RESET_CONNECTION or COM_CHANGE_USER.
 *
 * <p><b>Buffers.</b> {@link io.understudy.plugin.CommandView} and {@link io.understudy.plugin.ResponseView} are valid
 * until the callback returns. The caller of {@link io.understudy.plugin.CommandView#copyPacket} owns the buffer and
 * releases it.
 *
 * <p><b>Cost.</b> A command costs nothing if no observer has an interest in it. Without {@code Interest.STATEMENTS} its
 * text is not inspected. {@code text}, {@code normalizedText}, {@code lookup} and {@code copyPacket} allocate;
 * {@code summary} is cached by digest.
 *
 * <p><b>Faults.</b> An observer that throws is not called again in that session, except once {@code onClose}; its
 * variables are set back. The client does not notice; a counter and a log line report it. A plugin whose {@code start}
 * throws keeps the proxy from starting; one that a reload adds is left out.
 */
@NullMarked
package io.understudy.plugin;

import org.jspecify.annotations.NullMarked;
