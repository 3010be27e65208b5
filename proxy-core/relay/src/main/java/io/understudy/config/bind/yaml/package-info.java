/**
 * Parses YAML to nodes with positions. References to environment variables and files are replaced here, and marked so
 * that no problem quotes their values.
 */
@NullMarked
package io.understudy.config.bind.yaml;

import org.jspecify.annotations.NullMarked;
