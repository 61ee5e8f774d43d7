"use strict";
/**
 * Making and changing elements. What comes from takt is hostile: it only ever becomes text or the
 * value of an attribute, never markup.
 */

/**
 * Values by a name. Names come from takt, from the address and from people: none of them is to find what
 * all objects have, such as `constructor`.
 */
const table = (values) => Object.assign(Object.create(null), values);

const byId = (id) => document.getElementById(id);

/** An element with attributes and children. Attributes that are null or undefined are left out. */
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function shape(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A button that does something. */
function button(label, action, attributes, onClick) {
  const node = element("button", { type: "button", "data-action": action, ...attributes }, label);
  node.addEventListener("click", onClick);
  return node;
}

/** Changes a text only if it differs, so that nothing is laid out again for nothing. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute if it differs; null takes it away. */
function setAttribute(node, name, value) {
  if (value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** A list of names and values: pairs of a term and a text or a node. */
function facts(pairs, attributes = {}) {
  const list = element("dl", attributes);
  for (const [term, value] of pairs) {
    list.append(element("div", {}, element("dt", {}, term), element("dd", {}, value)));
  }
  return list;
}
