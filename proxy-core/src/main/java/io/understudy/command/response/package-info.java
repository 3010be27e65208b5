/**
 * What answer a command is due and when it is over: one class per grammar, stateless, its progress kept in an {@link
 * io.understudy.command.response.ResponseProgress}. A grammar sees each packet's length and first byte and asks for the
 * bytes of those packets that decide.
 */
@NullMarked
package io.understudy.command.response;

import org.jspecify.annotations.NullMarked;
