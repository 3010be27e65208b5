/**
 * Tags sessions: decides the domain of a session's next write by rule and by the tables' owners, and injects the
 * statement that sets it.
 *
 * <ul>
 *   <li><i>tag</i>: a value of {@code gtid_domain_id} that the proxy has set in a session ({@code SessionDomain}).
 *   <li><i>away</i>: a session is away while its tag is not the default domain; only for one statement or transaction.
 *   <li><i>policy</i>: the rules in force with what they decide on, shared by all sessions ({@code Policy}).
 *   <li><i>proven</i>: an account that has set the variable once ({@code Accounts}).
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain.tagging;

import org.jspecify.annotations.NullMarked;
