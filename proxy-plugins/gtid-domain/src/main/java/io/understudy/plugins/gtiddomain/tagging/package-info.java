/**
 * Tags sessions: decides the domain of a session's next write by rule and by the tables' owners, and wants it of the
 * session's variable.
 *
 * <ul>
 *   <li><i>tag</i>: a value of {@code gtid_domain_id} that the proxy has set in a session ({@code SessionDomain}).
 *   <li><i>away</i>: a session is away while its tag is not the default domain; only for one statement or transaction.
 *   <li><i>policy</i>: the rules in force with what they decide on, shared by all sessions ({@code Policy}).
 *   <li><i>proven</i>: an account that has set the variable once ({@code Accounts}).
 * </ul>
 *
 * <p>A session leaves the default domain for one statement or transaction only, and is set back before its next command
 * that may write, whether the plugin understands that command or not. So a command that it does not understand runs in
 * the same domain as without the plugin. Setting back needs no boundary: it also happens between pipelined statements
 * and before preparations, long data and unknown commands, but not before a statement that reads diagnostics. A
 * prepared statement's domain is decided before its preparation too, because drivers pipeline the execution behind it.
 * Names in prepared statements refer to the schema of their preparation.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.tagging;

import org.jspecify.annotations.NullMarked;
