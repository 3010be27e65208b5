/** How a statement reaches a standby: its settings, its prepared form, and the packets that the mirror adds. */
@NullMarked
package io.understudy.plugins.mirror.statement;

import org.jspecify.annotations.NullMarked;
