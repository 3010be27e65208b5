/**
 * Commands in flight and their responses. {@link io.understudy.command.CommandTracker} recognises commands on their way
 * to the server, {@link io.understudy.command.ResponseTracker} tracks the responses,
 * {@link io.understudy.command.InFlight} holds the commands whose responses are due, and
 * {@link io.understudy.command.SessionModel} is the state of the session that the trackers maintain.
 */
@NullMarked
package io.understudy.command;

import org.jspecify.annotations.NullMarked;
