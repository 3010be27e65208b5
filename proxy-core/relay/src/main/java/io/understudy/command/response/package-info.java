/**
 * The grammars of responses: which response a command has, and where it ends. One stateless class per grammar, with the
 * state of a response in a {@link io.understudy.command.response.ResponseProgress}. A grammar sees each packet's length
 * and first byte, and asks for the bytes of the packets that decide.
 */
@NullMarked
package io.understudy.command.response;

import org.jspecify.annotations.NullMarked;
