/**
 * What was asked, what answer is due, and is it over. {@link io.understudy.command.CommandTracker} recognises commands on
 * their way to the server, {@link io.understudy.command.ResponseTracker} follows the answers back, {@link
 * io.understudy.command.InFlight} holds what lies between; {@link io.understudy.command.SessionModel} is what the two have
 * learned of the session.
 */
@NullMarked
package io.understudy.command;

import org.jspecify.annotations.NullMarked;
